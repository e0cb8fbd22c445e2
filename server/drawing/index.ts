/** PNG and small maps, each drawn by a thread of its own. */
export { createMaps, type LocalMap } from './maps.ts';
export { createPictures } from './pictures.ts';
