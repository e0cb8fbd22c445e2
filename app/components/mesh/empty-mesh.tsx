/** A network that nobody has joined yet: how the first node does. */
export function EmptyMesh({ origin, secret }: { origin: string; secret: boolean }) {
  const credential = secret ? ' \\\n  -H "authorization: Bearer $WEBHOOK_SECRET"' : '';
  return (
    <div className="empty-mesh card">
      <h2>No node has sent a heartbeat yet</h2>
      <p>
        The first one appears here as soon as it does. Choose an id, and where on the map it lies;
        the place is rounded to half a degree.
      </p>
      <pre tabIndex={0} aria-label="Command for the first heartbeat">
        <code>{`curl -X POST ${origin}/api/mesh/ping${credential} \\
  -H "content-type: application/json" \\
  -d '{"nodeId":"my_node","lat":37.7,"lng":-122.4}'`}</code>
      </pre>
    </div>
  );
}
