import { z } from 'zod';
import { boundedText } from '../text.schema.ts';

/** Standard base64 with its padding, as DSSE has it. */
const Base64 = (maxLength: number) =>
  boundedText(maxLength).check(z.base64('must be base64, with its padding'));

const envelope = (payloadMax: number, signaturesMax: number) =>
  z.object(
    {
      payloadType: boundedText(128),
      payload: Base64(payloadMax).meta({ description: 'The signed bytes, in base64.' }),
      signatures: z
        .array(
          z.object(
            {
              keyid: boundedText(64).meta({
                description: 'The public key that made the signature, as text.',
              }),
              sig: Base64(88),
            },
            'must be an object',
          ),
          'must be a list',
        )
        .min(1, 'must have a signature')
        .max(signaturesMax, `must have at most ${signaturesMax} signatures`),
    },
    'must be an object',
  );

export const ENVELOPE_SIGNATURES_MAX = 8;

/**
 * An envelope as in DSSE, https://github.com/secure-systems-lab/dsse: exact bytes with their signatures, so nothing
 * depends on how JSON is written.
 */
export const DsseEnvelope = envelope(4096, ENVELOPE_SIGNATURES_MAX).meta({ id: 'DsseEnvelope' });
export type DsseEnvelope = z.infer<typeof DsseEnvelope>;

/**
 * The longest payload of a document, characters in base64. A truth goes to peers in one message of 1 MiB, with the roots that
 * they lack: some 5,000 bans with short reasons.
 */
export const DOCUMENT_PAYLOAD_MAX = 1_000_000;

/** The same for a document of a network: its root or its truth. */
export const SignedDocument = envelope(DOCUMENT_PAYLOAD_MAX, 16);
export type SignedDocument = z.infer<typeof SignedDocument>;
