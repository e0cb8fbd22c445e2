/**
 * Makes Vite change what Remix does where the code of a page can't be loaded. After an upgrade it opens the address that was
 * clicked. While the service doesn't answer, our own error page says so: the browser's would not come back by itself.
 *
 * Remix 2.17 loads the page anew on which the link was clicked (loadRouteModule in
 * @remix-run/react/dist/esm/routeModules.js), so that the click seems to do nothing. React Router 7 goes on to the link.
 */
export const goWhereClicked = () => ({
  name: 'go-where-clicked',
  transform(code: string, id: string) {
    if (!/\/@remix-run\/react\/dist\/esm\/routeModules\.js$/.test(id)) return;
    const reload = 'window.location.reload();';
    if (!code.includes(reload))
      throw new Error('Remix no longer reloads the page: remove go-where-clicked.ts.');
    return { code: code.replace(reload, GO), map: null };
  },
});

/** The router's own address of what is being opened; none while the page that is shown refreshes. */
const GO = `
const answers = await fetch('/readyz', { cache: 'no-store' }).then(({ ok }) => ok, () => false);
if (!answers) throw new TypeError('Failed to fetch');
const clicked = window.__remixRouter?.state.navigation.location;
if (clicked) window.location.assign(clicked.pathname + clicked.search + clicked.hash);
else window.location.reload();`;
