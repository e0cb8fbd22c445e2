import { ERROR_STATUS } from '#server/common/errors.schema.ts';
import { NAME_RULE } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { REMEDIES } from './error-remedies.ts';

/** Loaded as data, so that the page doesn't ship the schemas to browsers. */
export const loadOperatorsPage = () => ({
  nameRule: NAME_RULE,
  remedies: Object.entries(REMEDIES).map(([code, remedy]) => ({
    code,
    status: ERROR_STATUS[code as keyof typeof REMEDIES],
    remedy,
  })),
});
