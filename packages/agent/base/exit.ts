/** How a command ends. The numbers are documented in `mesh-agent --help` and README.md, and never change. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work, or a check failed. */
  failed: 1,
  /** An option or argument is missing or wrong. */
  usage: 2,
  /** The configuration, the secret or the key is missing or wrong. */
  configuration: 3,
  /** The service cannot be reached. */
  unreachable: 4,
  /** The service refused the request. */
  refused: 5,
  /** `status`: no agent is running. `run`: one is running already. */
  running: 6,
  /** Ctrl-C at a question. */
  interrupted: 130,
} as const;

/** An end that is no bug: its message says what to change, and is all that the operator sees. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.failed,
  ) {
    super(message);
  }
}

/** An option or argument is missing or wrong. */
export const usageError = (message: string) => new CommandError(message, EXIT.usage);

/** The configuration, the secret or the key is missing or wrong. */
export const configurationError = (message: string) =>
  new CommandError(message, EXIT.configuration);
