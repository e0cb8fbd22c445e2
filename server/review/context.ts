import type { ServiceContext } from '#server/context.ts';
import type { NodesService } from '#server/nodes/index.ts';
import type { ReviewIndex } from '#server/registration/index.ts';

/** What the review functions need beyond the service context. */
export interface ReviewContext extends ServiceContext {
  readonly reviewIndex: ReviewIndex;
  readonly nodes: Pick<NodesService, 'details'>;
}
