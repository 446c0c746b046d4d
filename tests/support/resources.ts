export { endpoints, resources } from "../../contract/resources.ts";
