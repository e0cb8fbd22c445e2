/** Paths of the public pages of a running service; a node and a name have theirs where there are any. */
export async function publicViews(url: string): Promise<string[]> {
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  const [node] = ((await read('/api/mesh')) as { peers: { id: string }[] }).peers;
  const [name] = ((await read('/api/registry')) as { entries: { name: string }[] }).entries;
  return [
    '/',
    ...(node ? [`/nodes/${node.id}`] : []),
    '/registry',
    ...(name ? [`/registry/${name.name}`] : []),
    '/computes',
    '/docs',
    '/docs/operators',
    '/trends',
    '/status',
  ];
}
