import { isLoopbackAddress, isPublicAddress } from '../addresses/address-group.ts';
import { ADDRESSES_MAX } from './peer-record.schema.ts';

/**
 * Where others are told to reach this peer, eight addresses at most: what the operator announces, else the public ones at
 * which it listens.
 * @param privateAddresses for a network within a private one: if there are none of these, the private ones, and if there
 * are none of these either, those of this machine alone
 */
export function ownAddresses(
  announced: readonly string[] | undefined,
  listening: readonly string[],
  privateAddresses: boolean,
): string[] {
  const outside = listening.filter((address) => !isLoopbackAddress(address));
  const choices = [
    announced ?? [],
    listening.filter(isPublicAddress),
    ...(privateAddresses ? [outside, listening] : []),
  ];
  const told = choices.find(({ length }) => length > 0) ?? [];
  return told.slice(0, ADDRESSES_MAX);
}
