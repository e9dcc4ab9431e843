import { ERROR_CODES, ERRORS } from '../../packages/contract/src/errors.ts'
import { markdownTable } from './markdown-table.ts'

/** Codes with which a whole request fails, by status. */
export function requestErrors(): string {
  const rows = ERROR_CODES.flatMap((code) => {
    const { status, title } = ERRORS[code]
    return status === null ? [] : [{ status, cells: [String(status), `\`${code}\``, title] }]
  })
  return markdownTable([
    ['Status', 'Code', 'Title'],
    ...rows.toSorted((one, other) => one.status - other.status).map(({ cells }) => cells),
  ])
}

/** Codes of one field or one line. */
export function fieldErrors(): string {
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === null)
  return markdownTable([['Code', 'Title'], ...codes.map((code) => [`\`${code}\``, ERRORS[code].title])])
}
