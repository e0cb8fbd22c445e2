/** Where a link's token is used: whoever has this address has the account. */
export const joinLink = (origin: string, token: string) => `${origin}/review/join/${token}`;
