// Renders a chart as `helm template` does, for machines without helm: the templates of Go with the functions of sprig, and
// those that Helm adds. Its arguments are the folder of the chart, a file of values and the namespace.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	sprig "github.com/Masterminds/sprig"
	yaml "gopkg.in/yaml.v3"
)

type object = map[string]interface{}

// Reads YAML with the types of JSON, as Helm does: all numbers are floats.
func parse(text string) object {
	var value interface{}
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		log.Fatal(err)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	parsed := object{}
	if err := json.Unmarshal(encoded, &parsed); err != nil {
		log.Fatal(err)
	}
	return parsed
}

func readFile(name string) string {
	content, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return string(content)
}

// Adds values to defaults; null removes a default.
func merge(defaults, values object) object {
	for name, value := range values {
		inner, isObject := value.(object)
		existing, hasObject := defaults[name].(object)
		switch {
		case value == nil:
			delete(defaults, name)
		case isObject && hasObject:
			defaults[name] = merge(existing, inner)
		default:
			defaults[name] = value
		}
	}
	return defaults
}

func main() {
	log.SetFlags(0)
	chart, namespace := os.Args[1], os.Args[3]
	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["fromYaml"] = parse
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["fail"] = func(message string) (string, error) { return "", fmt.Errorf("%s", message) }
	root.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		log.Fatal(err)
	}
	sort.Strings(files)
	for _, file := range files {
		template.Must(root.New(file).Parse(readFile(file)))
	}
	metadata := object{}
	for name, value := range parse(readFile(filepath.Join(chart, "Chart.yaml"))) {
		// Templates name the fields as the struct of Helm does.
		metadata[strings.ToUpper(name[:1])+name[1:]] = value
	}
	defaults := parse(readFile(filepath.Join(chart, "values.yaml")))
	data := object{
		"Values":  merge(defaults, parse(readFile(os.Args[2]))),
		"Chart":   metadata,
		"Release": object{"Name": "shortlinks", "Namespace": namespace, "Service": "Helm"},
	}
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" && filepath.Base(file) != "NOTES.txt" {
			continue
		}
		var text strings.Builder
		if err := root.ExecuteTemplate(&text, file, data); err != nil {
			log.Fatal(err)
		}
		if filepath.Ext(file) == ".yaml" {
			fmt.Printf("---\n%s\n", strings.ReplaceAll(text.String(), "<no value>", ""))
		}
	}
}
