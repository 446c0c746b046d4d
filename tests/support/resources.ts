export { endpoints, resources } from "../../openapi/resources.ts";
