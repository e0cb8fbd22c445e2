import type { FollowedRegistration } from '#server/registration/index.ts';

/** For the tab and for screen readers: it changes when a reviewer decides. */
export function registrationTitle({
  registration: { name, status },
  lapsed,
  cancelled,
  activated,
}: Pick<FollowedRegistration, 'registration' | 'lapsed' | 'cancelled' | 'activated'>): string {
  switch (status) {
    case 'pending_payment':
      return `Pay for ${name}`;
    case 'pending_review':
      return `${name} is waiting for review`;
    case 'active':
      return `${name} is active`;
    case 'rejected':
      if (lapsed) return `The reservation of ${name} has expired`;
      if (cancelled) return activated ? `${name} is released` : `${name} is cancelled`;
      return activated ? `${name} is no longer active` : `${name} was not activated`;
  }
}
