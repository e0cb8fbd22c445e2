import { LRUCache } from 'lru-cache';
import { SharedWork } from '#server/common/shared-work.ts';
import type { TurnQueue } from '#server/common/turn-queue.ts';
import type { RenderedPage } from './rendered-page.ts';
import type { RenderLimits } from './render-queue.ts';

/** Of all pages that are kept, in bytes as they are and as they are compressed. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_PAGES = 1000;

/**
 * Pages that are the same for everybody. Who asks for one while it is rendered gets it, too; where many ask, the last one is
 * given to all of them for a second. The whole answer is shared, with its nonce: both are made together, so nobody
 * knew the nonce who had put something into the page.
 */
export class SharedPages {
  readonly #kept = new LRUCache<string, { page: RenderedPage; asked: number }>({
    max: KEPT_PAGES,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ page }) => page.keptBytes,
    ttlAutopurge: true,
  });
  readonly #pending = new Map<string, { rendering: SharedWork<RenderedPage>; asked: number }>();

  constructor(
    private readonly queue: TurnQueue,
    private readonly limits: Pick<RenderLimits, 'ownPages' | 'sharedMs'>,
  ) {}

  /** @returns the page of a URL for which many ask; null if it has to be rendered */
  kept(url: string): RenderedPage | null {
    const kept = this.#kept.get(url);
    return kept && ++kept.asked > this.limits.ownPages ? kept.page : null;
  }

  /**
   * Renders a page that isn't {@link kept}.
   * @param url with the origin that the page names
   * @param line of the client in the queue, in which it has one place for all its requests for this page
   * @param render renders the page for whoever asks
   * @throws as {@link SharedWork.wait}
   */
  async render(
    url: string,
    line: () => string,
    signal: AbortSignal,
    render: (signal: AbortSignal) => Promise<RenderedPage>,
  ): Promise<RenderedPage> {
    const others = this.#pending.get(url);
    if (others) {
      others.asked++;
      const page = await others.rendering.wait(line(), signal);
      // Such as a refusal of the client for whom it was rendered.
      return page.isShareable ? page : new SharedWork(this.queue, render).wait(line(), signal);
    }
    const renderAndKeep = async (gone: AbortSignal) => {
      const start = performance.now();
      const page = await render(gone);
      const ttl = this.limits.sharedMs;
      if (page.isShareable) this.#kept.set(url, { page, asked: pending.asked }, { start, ttl });
      return page;
    };
    const pending = {
      rendering: new SharedWork(this.queue, renderAndKeep, () => this.#pending.delete(url)),
      asked: this.#kept.peek(url)?.asked ?? 1,
    };
    this.#pending.set(url, pending);
    return pending.rendering.wait(line(), signal);
  }
}
