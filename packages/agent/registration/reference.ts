import { REGISTRATION_ID_PATTERN } from '@mesh-registry/protocol/rest/register.schema.ts';
import { CommandError, EXIT } from '../base/exit.ts';

/**
 * The id of a registration, from itself or from the link of its page.
 * @param url of the configured service: the id is a secret, and goes to no other
 * @throws CommandError if it is neither, or a link of another service
 */
export function registrationId(reference: string, url: string): string {
  if (REGISTRATION_ID_PATTERN.test(reference)) return reference;
  if (!URL.canParse(reference))
    throw new CommandError(
      'Give the id of the registration, which begins with reg_, or the link of its page.',
      EXIT.usage,
    );
  const link = new URL(reference);
  const service = new URL(url);
  if (link.host !== service.host)
    throw new CommandError(
      `This link is of ${link.host}, and the node is configured for ${service.host}.`,
      EXIT.usage,
    );
  const id = link.pathname.split('/').find((part) => REGISTRATION_ID_PATTERN.test(part));
  if (id === undefined)
    throw new CommandError('There is no registration in this link.', EXIT.usage);
  return id;
}
