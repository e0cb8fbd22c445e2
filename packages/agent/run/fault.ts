import type { Problem } from '@mesh-registry/client/index.ts';
import type { Secret } from '../config/secret.ts';
import { printable } from '../terminal/printable.ts';

/** Why nothing is accepted at the moment: what happened, and what to do. */
export interface Fault {
  /** For machines; README.md lists them. */
  kind: FaultKind;
  /** One or two sentences. */
  message: string;
  /** How soon it may be over by itself: the first wait and the longest one, milliseconds. */
  retry: Retry;
  /** The service asked for this pause, milliseconds. */
  retryAfterMs: number | null;
}

export type FaultKind =
  | 'service_away'
  | 'dns'
  | 'network'
  | 'tls'
  | 'tls_expired'
  | 'foreign_answer'
  | 'unauthorized'
  | 'signature_required'
  | 'signature_invalid'
  | 'clock'
  | 'blocked'
  | 'rate_limited'
  | 'refused'
  | 'local'
  | 'disk';

interface Retry {
  firstMs: number;
  longestMs: number;
}

/** For a fault that ends by itself: the node is back within a minute after it. */
export const SOON: Retry = { firstMs: 1000, longestMs: 60_000 };
/** For a fault that somebody has to mend. Asking often would make it worse, because wrong credentials are counted. */
const RARELY: Retry = { firstMs: 5000, longestMs: 300_000 };

/** A fault that may be over within a minute. */
export const soon = (kind: FaultKind, message: string): Fault => ({
  kind,
  message,
  retry: SOON,
  retryAfterMs: null,
});

/** A fault that lasts until somebody does something. */
const rarely = (kind: FaultKind, message: string): Fault => ({
  ...soon(kind, message),
  retry: RARELY,
});

/** Something on this machine: a file, a command. Read again for each attempt. */
export const localFault = (message: string): Fault => rarely('local', message);

/** A service that accepts, but in a form that this agent does not know. */
export const unknownAnswer = (why: string): Fault =>
  rarely(
    'foreign_answer',
    `The service's answer cannot be read: ${why}. Check service.url; if that is right, the agent is older or newer than the service: update it.`,
  );

/** What a fault is told with. */
interface Surroundings {
  /** Base address of the service. */
  url: string;
  /** Null: none is configured. */
  secret: Pick<Secret, 'source' | 'fixed'> | null;
  configFile: string;
  now: number;
}

/** @param subject what was sent: `heartbeat`, `announcement` */
export function faultOf(problem: Problem, subject: string, around: Surroundings): Fault {
  const fault = classify(problem, subject, around);
  return 'retryAfterMs' in problem ? { ...fault, retryAfterMs: problem.retryAfterMs } : fault;
}

function classify(problem: Problem, subject: string, around: Surroundings): Fault {
  switch (problem.kind) {
    case 'timeout':
      return away('it did not answer in time');
    case 'aborted':
      return away('the request was ended');
    case 'unreachable':
      return unreachable(causeOf(problem.cause), around);
    case 'unexpected':
      return problem.status >= 500
        ? away(`status ${problem.status} from a proxy before it`)
        : rarely(
            'foreign_answer',
            `No Mesh Registry answers at ${around.url}. ${problem.message} Check service.url in ${around.configFile}; if that is right, look for a proxy or a sign-in page of this network.`,
          );
    case 'refused':
      return refused(problem, subject, around);
  }
}

const away = (why: string): Fault =>
  soon(
    'service_away',
    `The service is unavailable: ${why}. Nothing to do here: the agent keeps trying.`,
  );

interface Cause {
  code: string;
  message: string;
}

function causeOf(error: unknown): Cause {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  // Several addresses of one name, each with its own error.
  const one = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const { code = '', message = '' } = (one ?? {}) as Partial<Cause>;
  return { code, message };
}

function unreachable({ code, message }: Cause, { url, now }: Surroundings): Fault {
  const { hostname } = new URL(url);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_FAIL')
    return soon(
      'dns',
      `The name ${hostname} cannot be resolved (${code}). Check this machine's network and DNS; if others resolve it, check service.url.`,
    );
  if (code === 'ENETUNREACH' || code === 'ENETDOWN' || code === 'EADDRNOTAVAIL')
    return soon('network', `This machine has no network (${code}).`);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return soon(
      'tls_expired',
      `The TLS certificate of ${hostname} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'} by this machine's clock (today is ${new Date(now).toISOString().slice(0, 10)}). If the clock is right, the service's operator has to renew it.`,
    );
  if (
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code)
  )
    return soon(
      'tls',
      `The TLS certificate of ${hostname} is not trusted (${code}). Check service.url; for a certificate authority of your own, set NODE_EXTRA_CA_CERTS.`,
    );
  return away(printable(code || message) || "it can't be reached");
}

type Refusal = Extract<Problem, { kind: 'refused' }>;

function refused(problem: Refusal, subject: string, around: Surroundings): Fault {
  const { status, message } = problem;
  // The agent may be older or newer than the service: codes are compared as texts.
  switch (problem.code as string) {
    case 'unauthorized':
      return rarely(
        'unauthorized',
        around.secret === null
          ? `The service requires the network's secret, and none is configured. Ask its operator for it, put it into a file (mode 0600), and name that as service.secret_file in ${around.configFile}.`
          : `The service refuses the secret from ${around.secret.source}. Correct it${around.secret.fixed ? ' and restart the agent' : ' there: it is read again for each attempt'}.`,
      );
    case 'signature_required':
      return rarely(
        'signature_required',
        `This node is pinned to another key. If it is yours, put that key back, or run "mesh-agent identity rotate" where it is; if it is lost, ask the service's reviewers to reset it. If you never ran this node, choose another node.id. (${message})`,
      );
    case 'signature_invalid':
      return rarely('signature_invalid', `The service refuses the signature: ${message}`);
    case 'blocked':
      return rarely(
        'blocked',
        `The service has blocked this node: ${message} Ask its operators; the agent retries every few minutes.`,
      );
    case 'rate_limited':
      return soon(
        'rate_limited',
        `The service limits this client: ${message} The agent waits as long as requested.`,
      );
  }
  if (status >= 500) return away(message);
  return rarely(
    'refused',
    `The service refuses the ${subject}: ${message} Change ${around.configFile}, then reload the agent.`,
  );
}

/** Beyond this, signed requests are refused, milliseconds. */
export const CLOCK_LIMIT_MS = 300_000;

/** @param skewMs how far this machine's clock is ahead of the service's */
export const clockFault = (skewMs: number): Fault =>
  soon(
    'clock',
    `${describeSkew(skewMs)} Signed requests must be within 5 minutes. Set the clock, for example with: timedatectl set-ntp true`,
  );

export function describeSkew(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const by = minutes >= 2 ? `${minutes} minutes` : `${Math.round(Math.abs(skewMs) / 1000)} seconds`;
  return `This machine's clock is ${by} ${skewMs > 0 ? 'ahead of' : 'behind'} the service's.`;
}
