/** The browser tests of the pages that these files belong to: `map` for e2e/map.spec.ts. */
export function specsOf(files: string[]): string[];
/** Every spec that a change can select. */
export function allSpecs(): string[];
/** The folders of app/features that have specs. */
export function allFeatures(): string[];
