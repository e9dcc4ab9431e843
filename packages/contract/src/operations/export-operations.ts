import { Type } from 'typebox'
import { EXPORT_FORMATS, ExportQuery } from '../schemas/export-query.ts'
import { LIST_ERRORS, type Operation } from './operation.ts'

export const EXPORT_OPERATIONS = {
  exportRows: {
    method: 'GET',
    path: '/v1/export',
    tag: 'traces',
    summary: 'Export all rows of a list',
    description:
      'Every row that matches, however many, as a file. It is streamed: neither the service nor a client needs to hold it. ' +
      'Rows that are committed meanwhile may be missing, rows that were there at the start are not.',
    scopes: ['read'],
    query: ExportQuery,
    audit: { action: 'export.read', target: 'export', shows: ['what', 'format'] },
    responses: {
      200: {
        description: 'All rows.',
        content: {
          [EXPORT_FORMATS.jsonl]: Type.Object(
            {},
            { additionalProperties: true, description: 'A row, or in the last line `{"complete":true,"rows":n}`.' },
          ),
          [EXPORT_FORMATS.csv]: Type.String({ description: 'Names of columns, then a line for each row (RFC 4180).' }),
          [EXPORT_FORMATS.parquet]: Type.String({ description: 'A file of Apache Parquet, compressed with Snappy.' }),
        },
        headers: {
          'x-export-rows': {
            description: 'A trailer of CSV and Parquet: the number of rows. It is missing where the export broke off.',
            schema: Type.String(),
          },
        },
      },
    },
    errors: [...LIST_ERRORS, 'cursor_expired', 'full_text_disabled'],
  },
} as const satisfies Record<string, Operation>
