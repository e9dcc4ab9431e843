import type { BoundedMeasure, TraceBound, TraceFilters } from '@spoor/contract/trace-filters'
import { durationOf, totalTokens } from './rollup.ts'
import { dollarsKey, type ModelRates, UNKNOWN_COST } from '../../ports/prices/price.ts'
import type { ModelUsage, TraceRecord } from '../../ports/traces/trace-record.ts'

/** Whether a trace is within all bounds. An unknown value is within none. */
export function isWithin(trace: TraceRecord, { bounds, rates }: Bounded): boolean {
  return bounds.every(({ measure, side, value }) => {
    const own = measureOf(trace, measure, rates)
    const bound = measure === 'cost_usd' ? dollarsKey(value) : value
    return own !== null && (side === 'min' ? own >= bound : own <= bound)
  })
}

interface Bounded {
  readonly bounds: readonly TraceBound[]
  readonly rates: ModelRates | null
}

function measureOf(trace: TraceRecord, measure: BoundedMeasure, rates: ModelRates | null): number | null {
  if (measure === 'cost_usd') {
    const key = costOfTrace(trace, rates)
    return key === UNKNOWN_COST ? null : key
  }
  if (measure === 'duration_ms') return durationOf(trace)
  return measure === 'total_tokens' ? totalTokens(trace.tokenUsage) : trace.stepCount
}

/** The sort key `cost_usd` of a trace. */
export function costOfTrace({ digest }: Pick<TraceRecord, 'digest'>, rates: ModelRates | null): number {
  return costOfTokens(digest.usage, rates)
}

export function costOfTokens(usage: readonly ModelUsage[] | null, rates: ModelRates | null): number {
  if (rates === null) throw new TypeError('a query by cost needs rates')
  return rates.costKey(usage)
}

/** Whether filters bound a cost: then their query needs rates. */
export function boundsCost({ minCostUsd, maxCostUsd, minStepCostUsd, maxStepCostUsd }: CostBounds): boolean {
  return [minCostUsd, maxCostUsd, minStepCostUsd, maxStepCostUsd].some((bound) => bound !== null)
}

type CostBounds = Pick<TraceFilters<'lists'>, 'minCostUsd' | 'maxCostUsd' | 'minStepCostUsd' | 'maxStepCostUsd'>
