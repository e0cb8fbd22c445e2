import { CopyButton } from '#app/ui/copy-button.tsx';

export interface FirstPingProps {
  /** Scheme and host of the service. */
  origin: string;
  /** Whether this server asks for the credential. */
  secret: boolean;
  /** A valid id: of letters, digits, _ and - only, so that it needs no quoting. */
  nodeId?: string;
}

/** The command that puts a node on the map, ready to paste. */
export function FirstPing({ origin, secret, nodeId = 'my_node' }: FirstPingProps) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${origin}/api/mesh/ping${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"${nodeId}","lat":37.7,"lng":-122.4}'`;
  return (
    <div className="first-ping">
      <pre className="code" tabIndex={0} aria-label="Command for the first heartbeat">
        <code>{command}</code>
      </pre>
      <CopyButton text={command} />
    </div>
  );
}
