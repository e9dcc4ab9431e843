import { AGGREGATIONS, aggregationsOfMetric, aggregationsOfTraces, monitorMeasures } from '@spoor/contract/aggregations'
import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { EVENT_GROUP_FIELDS, nameOfField, SERIES_FIELD_NAMES } from '@spoor/contract/series-fields'
import { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { DefinitionChecks, FindMetric, WatchableMetric } from './metric-lookup.ts'
import type { MonitorDraft } from './monitor-draft.ts'
import type { Aggregation } from '../ports/monitors/monitor-measures.ts'
import type { MonitorDefinition, MonitorSource } from '../ports/monitors/monitor.ts'
import { A_SHARE, ANY_NUMBER, type Bounds, isDecided, NOT_NEGATIVE } from './quantity.ts'

/** The errors so far, by pointers of the wire. */
class Findings {
  readonly errors: FieldError[] = []

  add(pointer: string, code: ErrorCode, detail: string): void {
    this.errors.push({ pointer, code, detail })
  }
}

/**
 * The definition that a draft stands for. Throws DomainError `validation_failed` naming every contradiction, or
 * `undefined_metric`, `full_text_disabled`.
 */
export async function checkDefinition(
  { findMetric, checkWords }: DefinitionChecks,
  projectId: ProjectId,
  draft: MonitorDraft,
): Promise<MonitorDefinition> {
  const findings = new Findings()
  checkName(draft.name, findings)
  checkEventSource(draft, findings)
  await checkForEach(findMetric, projectId, draft, findings)
  checkCounting(draft, findings)
  await checkFilteredMetrics(findMetric, projectId, draft, findings)
  const source = await checkSource(findMetric, projectId, draft, findings)
  if (source !== null) {
    const isAllowed = checkAggregation(draft, source, findings)
    checkThresholds(draft, isAllowed ? boundsOf(draft.aggregation, source) : ANY_NUMBER, findings)
  }
  const { errors } = findings
  if (errors.length > 0 || source === null) throw invalid(...errors)
  if (draft.filters.text !== undefined) checkWords(draft.filters.text)
  const { name: _name, enabled: _enabled, ...rest } = draft
  // Some clients write -0. It is the same number, and JSON keeps the sign.
  const [threshold, resolveThreshold] = [draft.threshold + 0, draft.resolveThreshold]
  return {
    ...rest,
    source: source.source,
    threshold,
    resolveThreshold: resolveThreshold === null ? null : resolveThreshold + 0,
  }
}

/** Names are printed to terminals and logs. */
function checkName(name: string, findings: Findings): void {
  if (name.trim() === '') findings.add('/name', 'too_short', 'A name has at least one visible character.')
  else if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    findings.add('/name', 'invalid_format', 'A name has no control characters and is well-formed Unicode.')
  }
}

type CheckedSource = { readonly source: MonitorSource; readonly allowed: readonly Aggregation[]; readonly of: string }

async function checkSource(
  findMetric: FindMetric,
  projectId: ProjectId,
  { source, aggregation }: MonitorDraft,
  findings: Findings,
): Promise<CheckedSource | null> {
  const { kind, metric, measure, option } = source
  if (kind !== 'metric') {
    if (metric !== null) findings.add('/source/metric', 'unknown_field', `A source of ${kind} has no metric.`)
    if (option !== null) findings.add('/source/option', 'unknown_field', `A source of ${kind} has no option.`)
    if (measure === null) findings.add('/source/measure', 'required', `A source of ${kind} needs its measure.`)
    if (measure === null) return null
    const of = { allowed: aggregationsOfTraces(measure), of: `the measure ${measure}` }
    const measures = monitorMeasures(kind)
    if (measures.includes(measure)) return { source: { kind, measure }, ...of }
    const detail = `A source of ${kind} has the measures ${measures.join(', ')}.`
    findings.add('/source/measure', 'invalid_value', detail)
    return null
  }
  if (measure !== null) findings.add('/source/measure', 'unknown_field', 'A source of a metric has no measure.')
  if (metric === null) {
    findings.add('/source/metric', 'required', 'A source of a metric needs the name of the metric.')
    return null
  }
  const found = await findMetric(projectId, metric)
  if (found === undefined) throw undefinedMetric(metric)
  checkOption(option, aggregation, found, findings)
  const checked: MonitorSource = { kind, metricId: found.id, metric, option }
  return { source: checked, allowed: aggregationsOfMetric(found.kind), of: `a metric of kind ${found.kind}` }
}

function undefinedMetric(name: string): DomainError {
  const detail = noMetric(name)
  const errors: FieldError[] = [{ pointer: '/source/metric', code: 'undefined_metric', detail }]
  return new DomainError('undefined_metric', detail, { errors })
}

function noMetric(name: string): string {
  return `There is no metric ${JSON.stringify(name.toWellFormed())} in the project.`
}

function checkOption(
  option: string | null,
  aggregation: Aggregation,
  { kind, options }: WatchableMetric,
  findings: Findings,
): void {
  const pointer = '/source/option'
  if (option !== null && (kind !== 'enum' || aggregation !== 'share')) {
    findings.add(pointer, 'unknown_field', 'An option is only for the share in an enum metric.')
  } else if (option === null && kind === 'enum' && aggregation === 'share') {
    findings.add(pointer, 'required', 'A share needs the option whose share it is.')
  } else if (option !== null && !options.includes(option)) {
    const some = options.slice(0, 20).map((one) => JSON.stringify(one))
    findings.add(pointer, 'invalid_value', `The metric has no such option; it has ${some.join(', ')}.`)
  }
}

function checkAggregation({ aggregation }: MonitorDraft, { allowed, of }: CheckedSource, findings: Findings): boolean {
  const isAllowed = allowed.includes(aggregation)
  const detail = `\`${aggregation}\` is not available for ${of}; use ${allowed.join(', ')}.`
  if (!isAllowed) findings.add('/aggregation', 'invalid_value', detail)
  return isAllowed
}

function checkEventSource({ source, filters }: MonitorDraft, findings: Findings): void {
  if (source.kind === 'metric' || filters.source === null) return
  findings.add('/filters/source', 'unknown_field', `\`source\` is not a filter of ${source.kind}.`)
}

async function checkForEach(
  findMetric: FindMetric,
  projectId: ProjectId,
  { source, forEach }: MonitorDraft,
  findings: Findings,
): Promise<void> {
  if (forEach === null || nameOfField(forEach, 'metadata') !== null) return
  const metric = nameOfField(forEach, 'metric')
  if (metric !== null) {
    const found = await findMetric(projectId, metric)
    if (found === undefined) findings.add('/for_each', 'undefined_metric', noMetric(metric))
    else if (found.kind === 'numeric') {
      findings.add(
        '/for_each',
        'invalid_value',
        `The metric ${JSON.stringify(metric)} has numbers: use it as the source.`,
      )
    }
    return
  }
  const fields: readonly string[] = source.kind === 'metric' ? EVENT_GROUP_FIELDS : SERIES_FIELD_NAMES
  if (fields.includes(forEach)) return
  const detail = `Use one of ${fields.join(', ')}, or metadata. and a key, or metric. and a name.`
  findings.add('/for_each', 'invalid_value', detail)
}

/** A metric is never deleted, so its name stays valid. */
async function checkFilteredMetrics(
  findMetric: FindMetric,
  projectId: ProjectId,
  { filters: { metric, withoutMetric } }: MonitorDraft,
  findings: Findings,
): Promise<void> {
  for (const [field, name] of Object.entries({ metric, without_metric: withoutMetric })) {
    if (name === null || (await findMetric(projectId, name)) !== undefined) continue
    findings.add(`/filters/${field}`, 'undefined_metric', noMetric(name))
  }
}

/** Rules that need rows; a count needs none. */
function checkCounting({ aggregation, minSamples, noData }: MonitorDraft, findings: Findings): void {
  if (aggregation !== 'count') return
  if (minSamples > 1) {
    findings.add('/min_samples', 'invalid_value', 'A count is compared whatever it is: it has no least number of rows.')
  }
  if (noData !== 'hold') {
    findings.add('/no_data', 'invalid_value', 'The count of no rows is 0, which is compared like any other.')
  }
}

function boundsOf(aggregation: Aggregation, { source }: CheckedSource): Bounds {
  if (AGGREGATIONS[aggregation].result === 'share') return A_SHARE
  if (source.kind !== 'metric') return source.measure === 'error_rate' && aggregation === 'avg' ? A_SHARE : NOT_NEGATIVE
  return aggregation === 'count' ? NOT_NEGATIVE : ANY_NUMBER
}

function checkThresholds(draft: MonitorDraft, bounds: Bounds, findings: Findings): void {
  const { comparison, threshold, resolveThreshold } = draft
  const decided = isDecided(comparison, threshold, bounds)
  const range = bounds === A_SHARE ? 'a share lies between 0 and 1' : 'the value is never below 0'
  if (decided !== null) findings.add('/threshold', 'out_of_range', `\`${comparison}\` ${decided} holds: ${range}.`)
  if (resolveThreshold === null) return
  const isUpward = comparison === 'gt' || comparison === 'gte'
  if (isUpward ? resolveThreshold > threshold : resolveThreshold < threshold) {
    const side = isUpward ? 'above' : 'below'
    findings.add('/resolve_threshold', 'invalid_value', `With \`${comparison}\` it must not be ${side} the threshold.`)
  } else if (isDecided(comparison, resolveThreshold, bounds) === 'always') {
    findings.add('/resolve_threshold', 'out_of_range', `The monitor could never resolve: ${range}.`)
  }
}
