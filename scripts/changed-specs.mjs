// Which browser tests belong to which files: for `npm test -- changed`. What a spec imports tells nothing about it,
// because it asks the built service.

/** Folders of features and the specs of their pages; `app/routes/review.…` belongs to `app/features/review`. */
const SPECS = {
  mesh: [
    ...[
      'embed',
      'globe',
      'life',
      'live',
      'map',
      'map-details',
      'node',
      'places',
      'replay',
      'resting-url',
    ],
    'without-scripts',
  ],
  live: ['live', 'computes', 'background-tabs', 'back-forward', 'restarting'],
  uptime: ['node', 'replay'],
  network: ['network'],
  computes: ['computes', 'compare', 'resting-url'],
  registry: ['registry'],
  registration: ['register', 'notifications', 'forms'],
  feeds: ['registry'],
  search: ['search'],
  review: [
    ...['review', 'review-bulk', 'review-dashboard', 'payments', 'sign-in', 'forms'],
    'notifications',
  ],
  trends: ['trends'],
  status: ['status'],
  docs: ['docs', 'terms', 'upgrade'],
};

/** The first part of a route's name, where it is not that of a feature. */
const ROUTES = {
  $: 'search',
  _index: 'mesh',
  nodes: 'mesh',
  embed: 'mesh',
  register: 'registration',
  review_: 'review',
  healthz: 'status',
  readyz: 'status',
};

/** What every page is made of: these look at all pages, if only once. */
const EVERY_PAGE = ['accessible', 'navigation'];

/** No test: only `npm run screenshots` runs it. */
const PICTURES = 'e2e/screenshots.spec.ts';

/**
 * @param {string[]} files paths from the project's folder
 * @returns {string[]} names of specs, `map` for `e2e/map.spec.ts`
 */
export function specsOf(files) {
  const specs = new Set();
  for (const file of files) {
    const [top, room = '', name = ''] = file.split('/');
    const [route = ''] = name.split(/[.[]/);
    if (file === PICTURES) continue;
    else if (top === 'e2e' && /\.spec\.ts$/.test(room)) specs.add(room.replace(/\.spec\.ts$/, ''));
    else if (file.endsWith('.test.ts')) continue;
    else if (top === 'e2e') for (const spec of allSpecs()) specs.add(spec);
    else if (top === 'app' && room === 'features') add(name);
    else if (top === 'app' && room === 'routes') add(ROUTES[route] ?? route);
    else if (top === 'app') for (const spec of EVERY_PAGE) specs.add(spec);
    // A domain of the server has the name of its feature.
    else if (top === 'server') add(room);
  }
  return [...specs].sort();

  function add(feature) {
    for (const spec of SPECS[feature] ?? []) specs.add(spec);
  }
}

/** @returns {string[]} every spec that a change can select */
export const allSpecs = () => [...new Set([...EVERY_PAGE, ...Object.values(SPECS).flat()])].sort();

/** @returns {string[]} the features that have specs */
export const allFeatures = () => Object.keys(SPECS).sort();
