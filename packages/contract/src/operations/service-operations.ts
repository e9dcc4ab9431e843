import { Type } from 'typebox'
import { ERROR_CODES } from '../errors.ts'
import { Health, Readiness } from '../schemas/health.ts'
import { parameters, textOf } from '../schemas/primitives.ts'
import { ProblemType, ProblemTypeList } from '../schemas/problem.ts'
import { Settings } from '../schemas/settings.ts'
import type { Operation } from './operation.ts'

const page = textOf('The same as a page, if `Accept` names `text/html`, as browsers do.')

export const SERVICE_OPERATIONS = {
  getHealth: {
    method: 'GET',
    path: '/healthz',
    summary: 'Is the process alive?',
    description: 'Answers while the process runs; checks no store.',
    scopes: null,
    takesAnyHead: true,
    responses: { 200: { description: 'The process is alive.', content: { 'application/json': Health } } },
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    summary: 'Can the service take requests?',
    description: 'Checks everything that the service needs.',
    scopes: null,
    responses: {
      200: { description: 'The service is ready.', content: { 'application/json': Readiness } },
      503: { description: 'The service is not ready; `checks` says why.', content: { 'application/json': Readiness } },
    },
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of the service for Prometheus',
    description: 'Metrics such as requests, queue depth, commit latency and size, open tails and store size.',
    scopes: null,
    responses: {
      200: {
        description: 'The Prometheus text format.',
        content: { 'text/plain': textOf('Prometheus text exposition.') },
      },
    },
  },
  getSettings: {
    method: 'GET',
    path: '/v1/settings',
    summary: 'Read the settings',
    description: 'Limits, retention and features, the same for all projects. No secrets.',
    scopes: ['read'],
    responses: { 200: { description: 'The settings.', content: { 'application/json': Settings } } },
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    description: 'OpenAPI 3.1, generated from the schemas that validate requests.',
    scopes: null,
    responses: {
      200: {
        description: 'The document.',
        content: {
          'application/json': Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            required: ['openapi', 'info', 'paths', 'components'],
            description: 'An OpenAPI document.',
          }),
        },
      },
    },
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    description: 'A page that shows every operation and its schemas.',
    scopes: null,
    takesAnyHead: true,
    responses: {
      200: { description: 'The page.', content: { 'text/html': textOf('HTML.') } },
      302: { description: 'The URL has a query; the page is at the URL without it.', content: {} },
    },
  },
  listProblems: {
    method: 'GET',
    path: '/problems',
    summary: 'The error catalogue',
    description: 'Every code with its status, its meaning and what to do.',
    scopes: null,
    responses: {
      200: { description: 'The catalogue.', content: { 'application/json': ProblemTypeList, 'text/html': page } },
    },
  },
  getProblem: {
    method: 'GET',
    path: '/problems/:code',
    summary: 'Explain an error',
    description: 'The page that `type` of a problem document leads to.',
    scopes: null,
    pathParameters: parameters({ code: Type.Enum(ERROR_CODES, { description: 'A code of the catalogue.' }) }),
    responses: {
      200: { description: 'The kind of problem.', content: { 'application/json': ProblemType, 'text/html': page } },
    },
  },
} as const satisfies Record<string, Operation>
