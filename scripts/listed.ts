/** The first node and the first name of a running service, which have pages of their own; undefined where there is none. */
export async function firstListed(url: string): Promise<{ node?: string; name?: string }> {
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  const [node] = ((await read('/api/mesh')) as { peers: { id: string }[] }).peers;
  const [name] = ((await read('/api/registry')) as { entries: { name: string }[] }).entries;
  return { ...(node && { node: node.id }), ...(name && { name: name.name }) };
}
