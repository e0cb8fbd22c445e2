/** Whether build/ was made from the sources as they are. */
export function isBuilt(): boolean;
/** Builds pages and server into build/. */
export function build(options?: { quiet?: boolean }): Promise<void>;
