import { z } from 'zod';

/** Standard base64 with its padding, as DSSE has it. */
const Base64 = (maxLength: number) =>
  z
    .base64('must be base64, with its padding')
    .max(maxLength, `must be at most ${maxLength} characters`);

/**
 * An envelope as in DSSE, https://github.com/secure-systems-lab/dsse: exact bytes with their signatures, so nothing
 * depends on how JSON is written.
 */
export const DsseEnvelope = z
  .object(
    {
      payloadType: z.string('must be a string').max(128, 'must be at most 128 characters'),
      payload: Base64(4096).meta({ description: 'The signed bytes, in base64.' }),
      signatures: z
        .array(
          z.object(
            {
              keyid: z.string('must be a string').max(64, 'must be at most 64 characters').meta({
                description: 'The public key that made the signature, as text.',
              }),
              sig: Base64(88),
            },
            'must be an object',
          ),
          'must be a list',
        )
        .min(1, 'must have a signature')
        .max(8, 'must have at most 8 signatures'),
    },
    'must be an object',
  )
  .meta({ id: 'DsseEnvelope' });
export type DsseEnvelope = z.infer<typeof DsseEnvelope>;
