/** The earlier name of a section. */
export { Section as Panel } from './section.tsx';
