import * as react from 'react/jsx-dev-runtime'
import { visibleProps } from './visible-props.ts'

export { Fragment, type JSX } from 'react/jsx-dev-runtime'

export const jsxDEV: typeof react.jsxDEV = (type, props, ...rest) =>
  react.jsxDEV(type, visibleProps(props), ...rest)
