import type { LucideIcon, LucideIconData } from 'lucide-react'
import * as arrowUpDown from 'lucide-react/icons/arrow-up-down'
import * as binary from 'lucide-react/icons/binary'
import * as bot from 'lucide-react/icons/bot'
import * as circleDot from 'lucide-react/icons/circle-dot'
import * as database from 'lucide-react/icons/database'
import * as gauge from 'lucide-react/icons/gauge'
import * as link2 from 'lucide-react/icons/link-2'
import * as shieldCheck from 'lucide-react/icons/shield-check'
import * as sparkles from 'lucide-react/icons/sparkles'
import * as wrench from 'lucide-react/icons/wrench'
import { iconPath } from './icon-path.ts'

interface StepKind {
  readonly Icon: LucideIcon
  /** The same icon as a path in a 24 by 24 box. */
  readonly path: string
  readonly text: string
  readonly bar: string
}

function stepKind(icon: { readonly default: LucideIcon }, text: string, bar: string): StepKind {
  // The types of these modules lack the icon data, which they export beside the component.
  const { default: Icon, __iconData: data } = icon as typeof icon & { readonly __iconData: LucideIconData }
  return { Icon, path: iconPath(data), text, bar }
}

const OTHER = stepKind(circleDot, 'text-step-other', 'bg-step-other')

const KINDS: ReadonlyMap<string, StepKind> = new Map(
  Object.entries({
    llm: stepKind(sparkles, 'text-step-llm', 'bg-step-llm'),
    tool: stepKind(wrench, 'text-step-tool', 'bg-step-tool'),
    retrieval: stepKind(database, 'text-step-retrieval', 'bg-step-retrieval'),
    agent: stepKind(bot, 'text-step-agent', 'bg-step-agent'),
    chain: stepKind(link2, 'text-step-chain', 'bg-step-chain'),
    embedding: stepKind(binary, 'text-step-embedding', 'bg-step-embedding'),
    rerank: stepKind(arrowUpDown, 'text-step-rerank', 'bg-step-rerank'),
    guardrail: stepKind(shieldCheck, 'text-step-guardrail', 'bg-step-guardrail'),
    evaluator: stepKind(gauge, 'text-step-evaluator', 'bg-step-evaluator'),
  }),
)

/** The icon and colour of a step type. Types are open: custom ones stepKind like `other`. */
export function kindOf(type: string): StepKind {
  return KINDS.get(type) ?? OTHER
}
