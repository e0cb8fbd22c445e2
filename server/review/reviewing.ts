import type { HistoryFilter, HistoryQuery } from './history.schema.ts';
import type { PaymentQuery } from '#server/payments/payments.schema.ts';
import type { ReservedNamesQuery } from '#server/registry/reserved-names.schema.ts';
import type { ReviewSearch } from './search.schema.ts';
import { WebhookSender } from './webhook-sender.ts';
import * as blockedNodes from './blocked-nodes.ts';
import type { MeshService } from '#server/mesh/index.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { history, historyActors, wholeHistory } from './audit-history.ts';
import { preview } from '#server/payments/csv-table.ts';
import { importPayments } from '#server/payments/import.ts';
import * as payments from '#server/payments/payments.ts';
import { QueueWatch } from './queue-changes.ts';
import * as reservedNames from '#server/registry/reserved-names.ts';
import * as decisions from './decisions.ts';
import * as reviewDesk from './review-desk.ts';
import type { ReviewIndex } from './index-by-note.ts';
import * as presence from './presence.ts';
import * as review from './transitions.ts';
import * as reviewers from '#server/accounts/reviewers.ts';

/** What reviewers do, and what runs in the background for it. */
export function createReviewing(
  s: ServiceContext & { reviewIndex: ReviewIndex },
  mesh: Pick<MeshService, 'node'>,
) {
  const { config, db, live, clock, log } = s;
  const desk: reviewDesk.ReviewContext = { ...s, index: s.reviewIndex, mesh };
  const queueWatch = new QueueWatch(desk);
  const sweeper = new decisions.DecisionSweeper(s);
  const webhook =
    config.reviewWebhook === null ? null : new WebhookSender(db, config.reviewWebhook, clock, log);

  const services = {
    review: {
      accept: (decision: review.Decision) => review.accept(s, decision),
      reject: (decision: review.Decision & { reason: string }) => review.reject(s, decision),
      revoke: (decision: review.Decision & { reason: string }) => review.revoke(s, decision),
      history: (id: string) => review.history(s, id),
      /** Sends what the webhook has not been told yet; runs by itself. */
      sendMessages: () => webhook?.send() ?? Promise.resolve(),
      queue: (asked: reviewDesk.QueueRequest) => reviewDesk.reviewQueue(desk, asked),
      countUndecided: () => reviewDesk.countUndecided(desk),
      next: (after: { note: string; reviewer: string }) => reviewDesk.nextInQueue(desk, after),
      registration: (asked: { note: string; reviewer: string }) =>
        reviewDesk.reviewedRegistration(desk, asked),
      search: (search: ReviewSearch) => reviewDesk.searchRegistrations(desk, search),
      changes: (sessionId: string, signal: AbortSignal) =>
        queueWatch.changes(() => reviewers.sessionHolds(db, sessionId, clock()), signal),
      async markOpen(input: Parameters<typeof presence.markOpen>[1]) {
        return { viewer: await presence.markOpen(s, input) };
      },
      markClosed: (input: { note: string; reviewer: string }) => presence.markClosed(s, input),
      async decide(decision: decisions.NewDecision) {
        const made = await decisions.decide(s, decision);
        sweeper.wake();
        return made;
      },
      undo: (decision: { note: string; reviewer: string }) => decisions.undo(s, decision),
      sweepDecisions: () => decisions.sweepDecisions(s),
    },
    nodes: {
      block: (input: blockedNodes.BlockInput) => blockedNodes.block(s, input),
      unblock: (input: blockedNodes.BlockInput) => blockedNodes.unblock(s, input),
      blocked: () => blockedNodes.blockedNow(s),
    },
    payments: {
      preview,
      import: (file: Parameters<typeof importPayments>[1], reviewer: string) =>
        importPayments(s, file, reviewer),
      list: (query: PaymentQuery) => payments.listPayments(desk, query),
      paidAndWaiting: () => payments.paidAndWaiting(desk),
      accept: (notes: string[], reviewer: string) => payments.acceptPaid(s, notes, reviewer),
      outcomes: (notes: string[]) => payments.outcomes(s, notes),
    },
    history: {
      page: (query: HistoryQuery) => history(s, query),
      whole: (filter: HistoryFilter) => wholeHistory(s, filter),
      actors: () => historyActors(s),
    },
    reservedNames: {
      list: (query: ReservedNamesQuery) => reservedNames.listReserved(s, query),
      reserve: (name: Parameters<typeof reservedNames.reserveName>[1], reviewer: string) =>
        reservedNames.reserveName(s, name, reviewer),
      release: (name: Parameters<typeof reservedNames.releaseName>[1], reviewer: string) =>
        reservedNames.releaseName(s, name, reviewer),
    },
  };

  return {
    services,
    start() {
      if (webhook) {
        webhook.start();
        live.registrations.follow((row, before) => {
          if (row.status !== before?.status) void webhook.send();
        });
      }
      sweeper.wake();
    },
    /** Carries out what a process that died has left, or one whose clock is ahead. */
    sweep: () => sweeper.wake(),
    async stop() {
      await Promise.all([sweeper.stop(), webhook?.stop()]);
    },
  };
}
