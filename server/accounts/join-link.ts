/** The address where a link's token is used. Whoever has it gets the account. */
export const joinLink = (origin: string, token: string) => `${origin}/review/join/${token}`;
