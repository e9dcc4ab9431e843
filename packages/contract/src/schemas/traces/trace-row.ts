import { Type, type Static } from 'typebox'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { PREVIEW_LENGTH } from '../../said-text.ts'
import { Metadata } from '../metadata.ts'
import { nullableCost } from '../price.ts'
import * as schema from '../primitives.ts'
import { FindingKinds } from './finding.ts'
import { TokenTotals } from './token-usage.ts'

const PREVIEW = `In one line, at most ${PREVIEW_LENGTH} characters, ending with \`...\` if there is more; null if there is none.`

export const TraceRow = schema.closed('One trace, without its steps.', {
  id: schema.idString('tr', 'The trace.'),
  name: schema.textOf('The name of the trace.'),
  run_type: schema.textOf('The run type, an open slug: `agent`, `workflow`, `chat`, `task`, `eval` or your own.'),
  state: Type.Enum(['committed', 'flagged'], {
    description: '`committed` at first; `flagged` once it is marked as failed or flagged.',
  }),
  status: Type.Enum(TRACE_STATUSES, {
    description:
      "The run's own word: what was set on the trace, else, of spans, how its root ended. If neither says anything, `error` if any of its steps failed, once it is complete; otherwise `ok`.",
  }),
  recovered_errors: schema.count('How many steps failed in a run that is `ok`: it coped with them. Of a failed run 0.'),
  metadata: Metadata,
  finding_kinds: schema.listOf(FindingKinds, 'The kinds of its `findings`, each once.'),
  wasted_tokens: schema.count(
    'Tokens of the calls of models that asked for what `finding_kinds` names, from the second time on.',
  ),
  growing: schema.flagOf(
    'Whether more of it may come: `true` until it is complete. A trace with all its steps in one commit is complete at once; one that comes in pieces, when its root has come and then nothing for a while (`SPOOR_TRACE_QUIET_SECONDS`). Once complete, it stays so.',
  ),
  root_seen: schema.flagOf(
    'Whether its root has come: of spans of OpenTelemetry, one without a parent; otherwise always `true`. Without a root a trace is not complete, however long nothing comes.',
  ),
  created_at: schema.printedTime(
    'When the service committed it, by its clock. Lists sorted by creation are in order of arrival, which differs from these times if the clock was set back.',
  ),
  updated_at: schema.printedTime('When the latest steps or changes of it were committed.'),
  started_at: schema.nullablePrintedTime('When the run began: its own time, or that of its earliest step.'),
  duration_ms: schema.nullableInteger({
    minimum: 0,
    description: 'Milliseconds from its start to its end, by its own times or those of its steps; null if unknown.',
  }),
  step_count: schema.count('The number of its steps.'),
  models: schema.listOf(Type.String(), 'The models that its steps used, each once.'),
  token_usage: TokenTotals,
  session_id: schema.nullableText('The session or conversation of the run.'),
  user_id: schema.nullableText('The end user of the run.'),
  attachment_count: schema.count('The number of media attached to it and its steps.'),
  input_preview: schema.nullableString({
    maxLength: PREVIEW_LENGTH,
    description: `What it was asked: the first text of a user: that of its root, else of the step that began first. ${PREVIEW}`,
  }),
  output_preview: schema.nullableString({
    maxLength: PREVIEW_LENGTH,
    description: `What came out: the last text of a model: that of its root, else of the step that ended last; of a failed trace, the type and message of its first failed step that has them. ${PREVIEW}`,
  }),
  cost_usd: nullableCost(
    'The total cost of its steps; null if no step has a cost, or its steps use more than 100 models.',
  ),
})
export type TraceRow = Static<typeof TraceRow>

const Snippet = schema.closed('Where a trace has the words of a search.', {
  step_id: schema.idString('st', 'The first step that has all the words.'),
  text: schema.textOf('About 160 characters around the first word, in one line, with `…` where it was cut.'),
  ranges: schema.listOf(
    Type.Array(schema.count('The start of a word, then its end, exclusive.'), { minItems: 2, maxItems: 2 }),
    'Where the words are in `text`, in order. Offsets count UTF-16 code units, as JavaScript does.',
  ),
})

const ListedTrace = schema.closed('One trace of a list, without its steps.', {
  ...TraceRow.properties,
  ...schema.optional({
    snippet: schema.nullable(
      Snippet,
      'Only with `q`: where the trace has its words. Null if they are in its name alone.',
    ),
    metric_values: Type.Record(
      Type.String(),
      Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Null()], {
        description: 'Whether it passed, the number or the option; null without an event.',
      }),
      {
        description:
          'Only with `metric_values`: by name of the metric, the value of its event with the latest time, on the trace or on a step of it.',
      },
    ),
  }),
})
export type ListedTrace = Static<typeof ListedTrace>

export const TraceFeed = schema.pageOf('traces', ListedTrace, 'in the requested order')
export type TraceFeed = Static<typeof TraceFeed>
