import { createContext } from 'react';

/** The nonce that the page's Content-Security-Policy names; empty in the browser, which hides nonces from scripts. */
export const NonceContext = createContext('');
