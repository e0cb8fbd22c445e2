import { Meta } from '@remix-run/react';
import {
  Children,
  cloneElement,
  createContext,
  isValidElement,
  useContext,
  type PropsWithChildren,
  type ReactElement,
} from 'react';

/** What every page may say about the network that this service belongs to, as its configuration says it. */
export interface Network {
  name: string;
  /** Where its operator can be reached, https or mailto; null where nothing is configured. */
  contactUrl: string | null;
  /** What its operator says of refunds, as one line of text. */
  refundPolicy: string;
  /** Whether heartbeats need the shared secret: `optional` where only a wrong one is rejected. */
  credential: 'none' | 'optional' | 'required';
  /** Whether it publishes the settings that its keys have signed. */
  settings: boolean;
}

const DEFAULT: Network = {
  name: 'Mesh Registry',
  contactUrl: null,
  refundPolicy: 'Ask the operator of this network about refunds.',
  credential: 'none',
  settings: false,
};

export const NetworkContext = createContext(DEFAULT);

export const useNetwork = (): Network => useContext(NetworkContext);

/** How the server tells the browser: errors too are rendered there, and have no data of a loader. */
export const networkAttribute = (network: Network) => ({ 'data-network': JSON.stringify(network) });

/** What the page in the browser was rendered with. */
export function networkOfPage(): Network {
  const { network } = document.documentElement.dataset;
  return network === undefined ? DEFAULT : (JSON.parse(network) as Network);
}

/** Stands for the name of the network in what `meta` functions return: these get no context. */
export const NETWORK_NAME = '{network}';

/** The title of a page, with the name of the network. Only for `meta` functions. */
export const pageTitle = (...parts: string[]): string => [...parts, NETWORK_NAME].join(' · ');

/** The elements of the pages' `meta` functions, with the name of the network. */
export function PageMeta() {
  const { name } = useNetwork();
  const named = (value: unknown): unknown =>
    typeof value === 'string' ? value.replaceAll(NETWORK_NAME, name) : value;
  const elements = (Meta() as ReactElement<PropsWithChildren>).props.children;
  return Children.map(elements, (element) => {
    if (!isValidElement(element)) return element;
    const props = Object.entries(element.props as object).map(([key, value]) => [
      key,
      named(value),
    ]);
    return cloneElement(element, Object.fromEntries(props) as object);
  });
}
