import { randomBytes, scrypt } from 'node:crypto';
import type { PasswordHashing } from '#server/accounts/index.ts';

/** scrypt with a thousandth of the work: tests create and check hundreds of passwords, at 0.2 s of CPU each otherwise. */
export const quickPasswords: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex');
    return `${salt}:${await keyOf(password, salt)}`;
  },
  async verify({ hash, password }) {
    const [salt = '', key] = hash.split(':');
    return (await keyOf(password, salt)) === key;
  },
};

const keyOf = (password: string, salt: string): Promise<string> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, 64, { N: 64, r: 4 }, (error, key) =>
      error ? reject(error) : resolve(key.toString('hex')),
    ),
  );
