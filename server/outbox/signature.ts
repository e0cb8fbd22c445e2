import { createHmac } from 'node:crypto';

/** The value of `webhook-signature`, as standardwebhooks.com specifies it. @param timestamp seconds since 1970 */
export function signMessage(key: Buffer, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
