import { Type, type Static } from 'typebox'
import { CONTROL_NAME_LENGTH, DASHBOARD_TILES_MAX } from '../limits.ts'
import { changeOf, closed, idString, nullableIdString, printedTime, pageOf } from './primitives.ts'
import { uniqueName, VIEW_FORMS, ViewChart, ViewQuery } from './view.ts'

/** The width of the grid. */
export const DASHBOARD_COLUMNS = 12

const side = (minimum: number, maximum: number, description: string) => Type.Integer({ minimum, maximum, description })

/** Of a view, or with the fields of one. */
const Tile = closed('A view in the grid: one that is saved (`view_id`), or one of its own (`view`).', {
  view_id: Type.Optional(idString('view', 'The saved view. It may be deleted by now.')),
  view: Type.Optional(
    closed('A view of the dashboard alone.', {
      name: Type.String({ minLength: 1, maxLength: CONTROL_NAME_LENGTH, description: 'The title.' }),
      query: ViewQuery,
      form: Type.Enum(VIEW_FORMS, { description: 'As of a saved view.' }),
      chart: Type.Optional(ViewChart),
    }),
  ),
  x: side(0, DASHBOARD_COLUMNS - 1, 'The first of its columns.'),
  y: side(0, 1000, 'The first of its rows.'),
  w: side(1, DASHBOARD_COLUMNS, 'Its columns.'),
  h: side(1, 50, 'Its rows.'),
})

const fields = {
  name: uniqueName,
  range: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'The time that all tiles show, in the words of the client, such as `24h`.',
    examples: ['24h'],
  }),
  tiles: Type.Array(Tile, { maxItems: DASHBOARD_TILES_MAX, description: `At most ${DASHBOARD_TILES_MAX} tiles.` }),
}

export const Dashboard = closed('Views in a grid of 12 columns.', {
  id: idString('dash', 'The dashboard.'),
  ...fields,
  created_by: nullableIdString('key', 'The key that created it; null for the first one until it is changed.'),
  created_at: printedTime('When it was created.'),
  updated_at: printedTime('When it was last changed.'),
})
export type Dashboard = Static<typeof Dashboard>

export const DashboardList = pageOf('dashboards', Dashboard, 'oldest first')

export const DashboardCreate = closed('A dashboard to save.', fields)
export type DashboardCreate = Static<typeof DashboardCreate>

export const DashboardPatch = changeOf(
  'A change of a dashboard; omitted fields stay unchanged, others are replaced as a whole.',
  fields,
)
export type DashboardPatch = Static<typeof DashboardPatch>
