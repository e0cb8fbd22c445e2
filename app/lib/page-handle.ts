import { createContext } from 'react';

// What a page and the server that sends it tell each other.

/** What a route may say about its page to the server that sends it, as its `handle`. */
export interface PageHandle {
  /** Other sites may show it in a frame. Never on a page that can change something. */
  frameable?: true;
  /**
   * Whoever asks for its URL gets the same page, so one rendering is sent to all who ask within a second. Never on a page
   * whose URL is a secret, whose loader reads a cookie or makes up something, or that shows who is signed in.
   */
  shared?: true;
}

/** The nonce that the page's Content-Security-Policy names; empty in the browser, which hides nonces from scripts. */
export const NonceContext = createContext('');
