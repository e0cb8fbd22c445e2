/** A request to the REST interface, as Remix or as Node's HTTP server has it. */
export interface EndpointRequest {
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** All headers. To read one, {@link header} is cheaper. */
  readonly headers: Headers;
  /** The value of a header, by its name in lower case; of several with that name, all of them with commas between. */
  header(name: string): string | null;
  /** The body as text. @throws AppError `payload_too_large` (it is larger than `maxBytes`) */
  text(maxBytes: number): Promise<string>;
}
