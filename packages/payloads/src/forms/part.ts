import type { Fields } from '../json.ts'

/** A part of a message, as a step stores it. */
export type Part = { readonly type: string } & Fields

export const textPart = (text: string): Part => ({ type: 'text', text })
export const thought = (text: string): Part => ({ type: 'reasoning', text })
export const dataPart = (data: unknown): Part => ({ type: 'data', data })
