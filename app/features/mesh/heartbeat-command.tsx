import { Command } from '#app/ui/command.tsx';
import { SecretNote } from '#app/ui/secret-note.tsx';

/** Where heartbeats go. */
export interface HeartbeatService {
  /** Scheme and host. */
  origin: string;
  /** Whether it requires the shared secret. */
  secret: boolean;
}

interface HeartbeatCommandProps {
  service: HeartbeatService;
  /** A valid id: only letters, digits, _ and -, so that it needs no quoting. */
  nodeId?: string;
}

/** The command that puts a node on the map, ready to paste. */
export function HeartbeatCommand({ service, nodeId = 'my_node' }: HeartbeatCommandProps) {
  const credential = service.secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  const command = `curl -X POST ${service.origin}/api/mesh/ping${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"${nodeId}","lat":37.7,"lng":-122.4}'`;
  return (
    <>
      <SecretNote />
      <Command label="Command for the first heartbeat" code={command} />
    </>
  );
}
