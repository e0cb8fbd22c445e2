import { MeshRegistry, type ClientOptions } from '@mesh-registry/client/index.ts';
import { printable } from '../terminal/printable.ts';

/**
 * A client of the configured service, as every command uses it. It follows no redirect: the operator named the address,
 * and nobody else may say where a signature, an ID or a question goes. Texts of answers can be printed as they are.
 */
export const serviceClient = (options: ClientOptions): MeshRegistry =>
  new MeshRegistry({ ...options, followRedirects: false, clean: printable });
