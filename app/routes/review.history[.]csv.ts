import { historyCsv } from '#app/features/review/history/history.server.ts';
import { download } from '#app/features/review/review.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /review/history.csv: every entry that the filter of /review/history matches, for a spreadsheet. */
const { loader, action } = endpoint({
  file: ({ context, request }) => {
    const today = new Date().toISOString().slice(0, 10);
    return download(context, 'text/csv', `history-${today}.csv`, () =>
      historyCsv(context, new URL(request.url).searchParams),
    );
  },
  private: true,
});
export { loader, action };
