/** Whether a folder of the build has files of the release before. */
export function isOfLastRelease(name: string): boolean;
/** Puts the browser's files of the last build aside. */
export function setAside(build: string): void;
/** Keeps what was put aside as the files of the release before. */
export function keepLast(build: string): void;
