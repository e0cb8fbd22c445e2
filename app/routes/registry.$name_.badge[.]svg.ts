import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import { monthUptime } from '#app/features/uptime/node-uptime.server.ts';
import { Name } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';
import { badgeLabel, badgeOf, badgeState, badgeSvg } from '#app/features/registry/badge.ts';

/**
 * GET /registry/:name/badge.svg: the state of a name, for other sites; with `?show=uptime` the uptime of its node, and
 * with `?show=slots` the free slots of its compute offer. The response is 200 with a badge even if the name is inactive
 * or invalid: a README must not show a broken image. Programs that need a status code use /api/registry.
 */
async function badge(
  { services }: RequestContext,
  request: Request,
  asked: string,
): Promise<TaggedFile> {
  const name = Name.safeParse(asked);
  const entry = name.success ? services.registry.name(name.data).entry : null;
  const shown = badgeOf(new URL(request.url).searchParams.get('show'));
  const share = entry && shown === 'uptime' ? await monthUptime(services, entry.nodeId) : null;
  const state = badgeState(shown, entry, share);
  // The requested text is drawn only if it is a valid name, so that nobody can show other text under our
  // address.
  const svg = badgeSvg(name.success ? badgeLabel(name.data, shown) : 'invalid name', state);
  return {
    contentType: 'image/svg+xml; charset=utf-8',
    headers: {
      // Image proxies respect this: the state is never more than a minute old.
      'cache-control': 'public, max-age=60',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'",
    },
    body: svg,
  };
}

const { loader, action } = endpoint({
  file: ({ context, request, params }) => badge(context, request, params['name'] ?? ''),
});
export { loader, action };
