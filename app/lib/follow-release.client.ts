declare global {
  interface Window {
    /** Remix's own. */
    __remixManifest?: { version: string };
    __remixRouter?: {
      state: {
        navigation: {
          location?: { pathname: string; search: string; hash: string };
          formMethod?: string;
        };
      };
    };
  }
}

/**
 * Makes `fetch` open a page as a whole new one if the service was upgraded since this one was opened: the code that is here
 * may not understand its data. A page that refreshes itself stays, and so does one whose form is being sent.
 */
export function followRelease(): void {
  const fetch = window.fetch.bind(window);
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    const release = response.headers.get('x-release');
    if (release === null || release === window.__remixManifest?.version) return response;
    const { location, formMethod } = window.__remixRouter?.state.navigation ?? {};
    if (!location || formMethod !== undefined) return response;
    window.location.assign(location.pathname + location.search + location.hash);
    return new Promise(() => {});
  };
}
