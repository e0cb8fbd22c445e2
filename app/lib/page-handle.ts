/** What a route may say about its page to the server that sends it, as its `handle`. */
export interface PageHandle {
  /** Other sites may show it in a frame. Never on a page that can change something. */
  frameable?: true;
}
