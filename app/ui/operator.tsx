import { useNetwork } from '#app/lib/network.tsx';

/** Who runs the network, within a sentence: a way to reach them, where one is configured. */
export function Operator({ children = 'the operator of this network' }: { children?: string }) {
  const { contactUrl } = useNetwork();
  return contactUrl === null ? <>{children}</> : <a href={contactUrl}>{children}</a>;
}
