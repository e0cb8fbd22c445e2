import { FILE_BYTES, paymentsHref } from '#server/payments/payments.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, FormField } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';

const MEGABYTES = FILE_BYTES / 1024 / 1024;

/** Sends an export. Works without scripts: the browser sends the file. */
export function UploadForm({ problem }: { problem: FormError | undefined }) {
  const tooLarge = problem?.code === 'payload_too_large' && !problem.fields['file'];
  return (
    <ActionForm
      intent="import"
      action={paymentsHref('imports')}
      problem={problem}
      message={
        tooLarge ? `The file is larger than ${MEGABYTES} MB. Export a shorter period.` : undefined
      }
      submitLabel="Import"
      look="primary"
      encType="multipart/form-data"
    >
      <FormField label="CSV file" name="file" hint={`At most ${MEGABYTES} MB.`}>
        {(field) => (
          <input
            {...field}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            required
            onChange={({ target }) =>
              target.setCustomValidity(
                (target.files?.[0]?.size ?? 0) > FILE_BYTES
                  ? `The file is larger than ${MEGABYTES} MB. Export a shorter period.`
                  : '',
              )
            }
          />
        )}
      </FormField>
      <p className={text.secondary}>
        The payment app’s export, or any bank’s. We store the date, amount, note and transaction ID
        of incoming payments, and nothing else. Importing the same file twice changes nothing.
      </p>
    </ActionForm>
  );
}
