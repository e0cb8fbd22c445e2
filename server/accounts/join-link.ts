/** The URL that uses a link's token. Having it is enough to get the account. */
export const joinLink = (origin: string, token: string) => `${origin}/review/join/${token}`;
