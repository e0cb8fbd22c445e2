import { offlineActionWith } from '#app/lib/stale-while-offline.ts';

const LINK =
  'We don’t know whether the link was created, and it is shown only once. Create it again; the new one replaces it.';

/** For pages of accounts: what to do where sending a form again isn't enough. */
export const accountClientAction = offlineActionWith({
  invite: LINK,
  access: LINK,
  password:
    'We don’t know whether your password was changed. Send it again; if your current password is rejected, the new one is already in use.',
  confirm:
    'We don’t know whether the second factor was turned on; this page will show it once the service answers. If it is on, create new recovery codes, because the first ones were not shown.',
  codes:
    'We don’t know whether new recovery codes were created. Create them again, because your old ones may no longer work.',
});
