import type { Problem } from '@mesh-registry/client/index.ts';
import type { Secret } from '../config/secret.ts';

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

export interface Retry {
  firstMs: number;
  longestMs: number;
}

/** Heals by itself: the node is back within a minute of it. */
export const SOON: Retry = { firstMs: 1000, longestMs: 60_000 };
/** Somebody has to do something, and wrong credentials are counted: asking often would only make it worse. */
export const RARELY: Retry = { firstMs: 5000, longestMs: 300_000 };

/** What a fault is told with. */
export interface Surroundings {
  /** Base address of the service. */
  url: string;
  /** Null: none is configured. */
  secret: Pick<Secret, 'source' | 'fixed'> | null;
  configFile: string;
  now: number;
}

/** @param subject what was sent: `heartbeat`, `announcement` */
export function faultOf(problem: Problem, subject: string, around: Surroundings): Fault {
  const retryAfterMs = 'retryAfterMs' in problem ? problem.retryAfterMs : null;
  return { retryAfterMs, ...classify(problem, subject, around) };
}

type Classified = Omit<Fault, 'retryAfterMs'>;

function classify(problem: Problem, subject: string, around: Surroundings): Classified {
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
        : {
            kind: 'foreign_answer',
            message: `No Mesh Registry answers at ${around.url}. ${problem.message} Check service.url in ${around.configFile}; if that is right, look for a proxy or a sign-in page of this network.`,
            retry: RARELY,
          };
    case 'refused':
      return refused(problem, subject, around);
  }
}

const away = (why: string): Classified => ({
  kind: 'service_away',
  message: `The service is away: ${why}. Nothing to do here: the agent keeps trying.`,
  retry: SOON,
});

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

function unreachable({ code, message }: Cause, { url, now }: Surroundings): Classified {
  const { hostname } = new URL(url);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_FAIL')
    return {
      kind: 'dns',
      message: `The name ${hostname} cannot be resolved (${code}). Check this machine's network and DNS; if others resolve it, check service.url.`,
      retry: SOON,
    };
  if (code === 'ENETUNREACH' || code === 'ENETDOWN' || code === 'EADDRNOTAVAIL')
    return {
      kind: 'network',
      message: `This machine has no network (${code}).`,
      retry: SOON,
    };
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return {
      kind: 'tls_expired',
      message: `The TLS certificate of ${hostname} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'} by this machine's clock (today is ${new Date(now).toISOString().slice(0, 10)}). If the clock is right, the service's operator has to renew it.`,
      retry: SOON,
    };
  if (
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code)
  )
    return {
      kind: 'tls',
      message: `The TLS certificate of ${hostname} is not trusted (${code}). Check service.url; for a certificate authority of your own, set NODE_EXTRA_CA_CERTS.`,
      retry: SOON,
    };
  return away(code || message || 'it cannot be reached');
}

type Refusal = Extract<Problem, { kind: 'refused' }>;

function refused(problem: Refusal, subject: string, around: Surroundings): Classified {
  const { status, message } = problem;
  // The agent may be older or newer than the service: codes are compared as texts.
  switch (problem.code as string) {
    case 'unauthorized':
      return {
        kind: 'unauthorized',
        message:
          around.secret === null
            ? `The service wants the network's secret, and none is configured. Ask its operator for it, put it into a file (mode 0600), and name that as service.secret_file in ${around.configFile}.`
            : `The service refuses the secret from ${around.secret.source}. Correct it${around.secret.fixed ? ' and restart the agent' : ' there: it is read again for each attempt'}.`,
        retry: RARELY,
      };
    case 'signature_required':
      return {
        kind: 'signature_required',
        message: `This node is pinned to another key. If it is yours, put that key back, or run "mesh-agent identity rotate" where it is; if it is lost, ask the service's reviewers to reset it. If you never ran this node, choose another node.id. (${message})`,
        retry: RARELY,
      };
    case 'signature_invalid':
      return {
        kind: 'signature_invalid',
        message: `The service refuses the signature: ${message}`,
        retry: RARELY,
      };
    case 'blocked':
      return {
        kind: 'blocked',
        message: `The service has blocked this node: ${message} Ask its operators; the agent asks again every few minutes.`,
        retry: RARELY,
      };
    case 'rate_limited':
      return {
        kind: 'rate_limited',
        message: `The service limits this client: ${message} The agent waits as long as it asks.`,
        retry: SOON,
      };
  }
  if (status >= 500) return away(message);
  return {
    kind: 'refused',
    message: `The service refuses the ${subject}: ${message} Change ${around.configFile}, then reload the agent.`,
    retry: RARELY,
  };
}

/** Beyond this, signed requests are refused. */
export const CLOCK_LIMIT_MS = 300_000;

/** @param skewMs how far this machine's clock is ahead of the service's */
export const clockFault = (skewMs: number): Fault => ({
  kind: 'clock',
  message: `${describeSkew(skewMs)} Signed requests must be within 5 minutes. Set the clock, for example with: timedatectl set-ntp true`,
  retry: SOON,
  retryAfterMs: null,
});

export function describeSkew(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const by = minutes >= 2 ? `${minutes} minutes` : `${Math.round(Math.abs(skewMs) / 1000)} seconds`;
  return `This machine's clock is ${by} ${skewMs > 0 ? 'ahead of' : 'behind'} the service's.`;
}

/** Something on this machine: a file, a command. Read again for each attempt. */
export const localFault = (message: string): Fault => ({
  kind: 'local',
  message,
  retry: RARELY,
  retryAfterMs: null,
});

/** A service that accepts, but in a form that this agent does not know. */
export const unknownAnswer = (why: string): Fault => ({
  kind: 'foreign_answer',
  message: `The service's answer cannot be read: ${why}. Check service.url; if that is right, the agent is older or newer than the service: update it.`,
  retry: RARELY,
  retryAfterMs: null,
});
