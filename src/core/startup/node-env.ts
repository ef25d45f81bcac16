/**
 * Makes `production` the default of NODE_ENV. graphql-js, among other packages, reads it once while it loads, and
 * otherwise runs checks of a development build in every request. Must be the first import of a program.
 */
process.env.NODE_ENV ||= "production";
