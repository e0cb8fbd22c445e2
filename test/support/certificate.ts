import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** X.509 certificates for tests, because not every machine has a tool that makes them. */

export interface Certificate {
  /** Both in PEM, as TLS servers take them. */
  cert: string;
  key: string;
}

/** ASN.1 in DER: one value of this type. */
function der(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const header =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...header]), content]);
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date: string) => der(0x18, Buffer.from(`${date.replaceAll('-', '')}000000Z`));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');

/**
 * A self-signed certificate, which a client trusts that has it as an authority.
 * @param host its common name
 * @param from, to days it is valid between, such as `2020-01-01`
 */
export function selfSigned(host: string, from: string, to: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(host)))));
  const serial = der(0x02, Buffer.from([0x01]), randomBytes(8));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = sequence(
    serial,
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(to)),
    name,
    key,
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const bits = der(0x03, Buffer.from([0x00]), signature);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, bits).toString('base64');
  // OpenSSL takes what is before an empty line for headers.
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
