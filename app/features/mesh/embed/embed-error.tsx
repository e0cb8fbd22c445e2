import * as hrefs from '#app/lib/hrefs.ts';

/** In place of an embedded map that couldn't be loaded: no part of the site can be used inside the frame. */
export function EmbedError() {
  return (
    <main id="main" className="standalone">
      <h1>The map couldn’t be loaded</h1>
      <p>
        <a href={hrefs.map()} target="_blank" rel="noopener">
          Open the full map<span className="visually-hidden"> in a new tab</span>
        </a>
      </p>
    </main>
  );
}
